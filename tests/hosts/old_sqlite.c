/*
** Loads the extension as a SQLite that is too old would: the message must say so.
**
**   old_sqlite PATH
*/
#include <dlfcn.h>
#include <sqlite3ext.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *version(void) {
    return "3.37.2";
}
static int number(void) {
    return 3037002;
}
static char *print(const char *format, ...) {
    static char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

int main(int argc, char **argv) {
    sqlite3_api_routines api;
    char *message = NULL;
    int (*init)(sqlite3 *, char **, const sqlite3_api_routines *);
    void *extension = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void *symbol = extension ? dlsym(extension, "sqlite3_memx_init") : NULL;
    if (!symbol) return fprintf(stderr, "%s\n", dlerror()), 2;
    memcpy(&init, &symbol, sizeof init);
    memset(&api, 0, sizeof api); /* nothing else may be called */
    api.libversion = version;
    api.libversion_number = number;
    api.mprintf = print;
    int rc = init(NULL, &message, &api);
    printf("%d %s\n", rc, message ? message : "");
    return 0;
}
