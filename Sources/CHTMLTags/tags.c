#include "CHTMLTags.h"

#include <libxml/HTMLparser.h>
#include <stdlib.h>
#include <string.h>

// libxml2 looks through all open elements at many an end tag; files that never close any would take it the
// square of their size. And it keeps what it has read.
enum { MOST_OPEN = 512, MOST_LISTS = 256, MOST_KEPT = 1 << 20, PATIENCE = 1 << 15 };

struct html_tags {
    struct html_tags_handler handler;
    htmlParserCtxtPtr context;
    long lines_before;
    // What the parser was given, and how much of that it may leave unread before it is helped.
    long kept;
    long patience;
    int is_muted;
};

static void start(void *data, const xmlChar *name, const xmlChar **attributes) {
    static const char *const none[] = {NULL};
    html_tags *tags = data;
    if (tags->is_muted) return;
    tags->handler.start(
        tags->handler.owner, (const char *)name, attributes ? (const char *const *)attributes : none);
}

static void end(void *data, const xmlChar *name) {
    html_tags *tags = data;
    if (!tags->is_muted) tags->handler.end(tags->handler.owner, (const char *)name);
}

static void text(void *data, const xmlChar *bytes, int count) {
    html_tags *tags = data;
    if (!tags->is_muted) tags->handler.text(tags->handler.owner, (const char *)bytes, (size_t)count);
}

// libxml2 reads no further than the end of the first element: this one holds the whole document.
static const char root[] = "<tags-of-a-document>";

// A parser with nothing open but that, and so many lists.
static htmlParserCtxtPtr new_context(html_tags *tags, int lists) {
    htmlSAXHandler handlers;
    memset(&handlers, 0, sizeof handlers);
    handlers.startElement = start;
    handlers.endElement = end;
    handlers.characters = text;
    handlers.ignorableWhitespace = text;
    htmlParserCtxtPtr context =
        htmlCreatePushParserCtxt(&handlers, tags, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!context) return NULL;
    htmlCtxtUseOptions(
        context, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
                     HTML_PARSE_NOIMPLIED | HTML_PARSE_IGNORE_ENC);
    tags->is_muted = 1;
    htmlParseChunk(context, root, sizeof root - 1, 0);
    for (int i = 0; i < lists; i++) htmlParseChunk(context, "<dl>", 4, 0);
    tags->is_muted = 0;
    return context;
}

html_tags *html_tags_open(struct html_tags_handler handler) {
    html_tags *tags = calloc(1, sizeof *tags);
    if (!tags) return NULL;
    tags->handler = handler;
    tags->patience = PATIENCE;
    tags->context = new_context(tags, 0);
    if (tags->context) return tags;
    free(tags);
    return NULL;
}

long html_tags_line(const html_tags *tags) {
    const xmlParserInput *input = tags->context->input;
    return tags->lines_before + (input ? input->line : 1);
}

// Goes on with a parser that has only the lists open, so that their end tags still mean something.
static int start_anew(html_tags *tags) {
    htmlParserCtxtPtr old = tags->context;
    int lists = 0;
    for (int i = 0; i < old->nameNr; i++) lists += !strcmp((const char *)old->nameTab[i], "dl");
    htmlParserCtxtPtr new = new_context(tags, lists < MOST_LISTS ? lists : MOST_LISTS);
    if (!new) return -1;
    tags->lines_before = html_tags_line(tags) - 1;
    tags->context = new;
    tags->kept = old->input->end - old->input->cur;
    htmlParseChunk(new, (const char *)old->input->cur, (int)(old->input->end - old->input->cur), 0);
    htmlFreeParserCtxt(old);
    return 0;
}

static long unread(const html_tags *tags) {
    return tags->context->input->end - tags->context->input->cur;
}

int html_tags_feed(html_tags *tags, const char *bytes, int count, int is_last) {
    htmlParseChunk(tags->context, bytes, count, is_last);
    if (tags->context->errNo == XML_ERR_NO_MEMORY || tags->context->disableSAX > 0) return -1;
    if (is_last) return 0;
    tags->kept += count;
    // 2.9 loses its place in a quoted value that comes in two pieces, and waits for the end of the document. A tag
    // that is really that long is begun again each time it has doubled.
    int is_stuck = unread(tags) > tags->patience;
    if (!is_stuck && tags->kept - 2 * unread(tags) <= MOST_KEPT && tags->context->nameNr <= MOST_OPEN) return 0;
    if (start_anew(tags)) return -1;
    tags->patience = unread(tags) < PATIENCE ? PATIENCE : 2 * unread(tags);
    return 0;
}

void html_tags_close(html_tags *tags) {
    htmlFreeParserCtxt(tags->context);
    free(tags);
}
