#pragma once

#include <stddef.h>

// The tags and texts of an HTML document as libxml2 reads them, in order, while the document comes in pieces.
// Names are in lower case; attributes are pairs of name and value (NULL for none), ended by NULL.
struct html_tags_handler {
    void *owner;
    void (*start)(void *owner, const char *name, const char *const *attributes);
    void (*end)(void *owner, const char *name);
    void (*text)(void *owner, const char *bytes, size_t count);
};

typedef struct html_tags html_tags;

// NULL when there is no memory.
html_tags *html_tags_open(struct html_tags_handler handler);
// The bytes must be UTF-8 without NUL. Returns 0, or -1 when there is no memory to go on.
int html_tags_feed(html_tags *tags, const char *bytes, int count, int is_last);
// The line that is being read, from 1.
long html_tags_line(const html_tags *tags);
void html_tags_close(html_tags *tags);
