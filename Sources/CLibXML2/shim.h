#pragma once

// The compiler finds it by libxml-2.0.pc.
#include <libxml/HTMLparser.h>
