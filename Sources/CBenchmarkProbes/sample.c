#include "CBenchmarkProbes.h"

static const char *const subjects[] = {
    "Notes on typed throws", "Wie man Brot ohne Eile bäckt", "高速道路の歴史と地図", "Что нового в ядре Linux",
    "La lumière des phares bretons", "Una receta de pan de maíz", "왜 달은 둥글까", "فهرست کتاب‌های تازه",
    "The trouble with clocks", "Håndbok for nye fjellfolk", "Cum se citește o hartă veche", "海边的小城",
};

const char *probe_subject(int64_t number) {
    return subjects[number % (int64_t)(sizeof subjects / sizeof *subjects)];
}

void probe_marker(int64_t number, char marker[PROBE_MARKER]) {
    char first = number % 2 ? 'K' : 'A';
    marker[0] = number % 2 ? 'Z' : 'X';
    number += 10000000;
    for (int i = PROBE_MARKER - 2; i > 0; i--, number /= 10) marker[i] = (char)(first + number % 10);
    marker[PROBE_MARKER - 1] = 0;
}
