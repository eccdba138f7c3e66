// Debian's libxml2 converts encodings with ICU, and ICU's tables would be 31 MB of a static program. Only a table of
// libxml2 is used here, which converts nothing: these replace ICU's functions, under the names that its header gives
// them.
#if __has_include(<unicode/ucnv.h>)
#include <unicode/ucnv.h>

UConverter *ucnv_open(const char *name, UErrorCode *status) {
    (void)name;
    *status = U_UNSUPPORTED_ERROR;
    return NULL;
}

void ucnv_close(UConverter *converter) { (void)converter; }

void ucnv_convertEx(
    UConverter *to, UConverter *from, char **target, const char *target_limit, const char **source,
    const char *source_limit, UChar *pivot_start, UChar **pivot_source, UChar **pivot_target,
    const UChar *pivot_limit, UBool reset, UBool flush, UErrorCode *status) {
    (void)to, (void)from, (void)target, (void)target_limit, (void)source, (void)source_limit;
    (void)pivot_start, (void)pivot_source, (void)pivot_target, (void)pivot_limit, (void)reset, (void)flush;
    *status = U_UNSUPPORTED_ERROR;
}

void ucnv_setFromUCallBack(
    UConverter *converter, UConverterFromUCallback action, const void *context,
    UConverterFromUCallback *old_action, const void **old_context, UErrorCode *status) {
    (void)converter, (void)action, (void)context, (void)old_action, (void)old_context;
    *status = U_UNSUPPORTED_ERROR;
}

void ucnv_setToUCallBack(
    UConverter *converter, UConverterToUCallback action, const void *context,
    UConverterToUCallback *old_action, const void **old_context, UErrorCode *status) {
    (void)converter, (void)action, (void)context, (void)old_action, (void)old_context;
    *status = U_UNSUPPORTED_ERROR;
}

void UCNV_FROM_U_CALLBACK_STOP(
    const void *context, UConverterFromUnicodeArgs *arguments, const UChar *units, int32_t count,
    UChar32 scalar, UConverterCallbackReason reason, UErrorCode *status) {
    (void)context, (void)arguments, (void)units, (void)count, (void)scalar, (void)reason, (void)status;
}

void UCNV_TO_U_CALLBACK_STOP(
    const void *context, UConverterToUnicodeArgs *arguments, const char *units, int32_t count,
    UConverterCallbackReason reason, UErrorCode *status) {
    (void)context, (void)arguments, (void)units, (void)count, (void)reason, (void)status;
}
#endif
