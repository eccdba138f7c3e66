#pragma once

// The scalar that a named character reference of HTML 4 means, as in `&eacute;`, by libxml2's table; 0 for an unknown
// name.
unsigned html_entity(const char *name);
