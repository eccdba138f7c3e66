#pragma once

// The compiler finds them by libxml-2.0.pc.
#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
