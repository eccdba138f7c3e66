#include "CHTMLTags.h"

#include <libxml/HTMLparser.h>

unsigned html_entity(const char *name) {
    const htmlEntityDesc *entity = htmlEntityLookup((const xmlChar *)name);
    return entity ? entity->value : 0;
}
