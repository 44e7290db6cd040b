/* The lines that wait for the host's logger. */

/* hold keeps other threads from the lists of an instance, for a few instructions and never while the logger runs: threads that use
 * an instance at the same time, against the rules, take turns in the core and get their lines here. In a forked child nobody else
 * is left, nor would let go. */
static void hold(instance *i)
{
    while ((i->alive == NULL || !orphaned(i)) && atomic_exchange_explicit(&i->held, 1, memory_order_acquire))
        ;
}

static void let_go(instance *i) { atomic_store_explicit(&i->held, 0, memory_order_release); }

/* append puts a line at the end of the list. Without memory the line is lost, which is all that can be done then. */
static void append(instance *i, fmi2Status status, const char *category, const char *text)
{
    size_t length = strlen(text) + 1, categoryLength = strlen(category) + 1;
    line *l = i->logger != NULL ? malloc(sizeof *l + length + categoryLength) : NULL;
    if (l == NULL)
        return;
    l->next = NULL;
    l->status = status;
    l->category = memcpy(l->text + length, category, categoryLength);
    memcpy(l->text, text, length);
    hold(i);
    if (i->first == NULL)
        i->first = l;
    else
        i->last->next = l;
    i->last = l;
    let_go(i);
}

/* collect is the logger that the core sees. The core calls it below its exported functions, with ready text and no arguments. */
static void collect(fmi2ComponentEnvironment i, fmi2String name, fmi2Status status, fmi2String category, fmi2String text, ...)
{
    (void)name;
    append(i, status, category, text);
}

/* sequence is the length of the character in UTF-8 at the beginning of a text, or 0 if there is none. */
static size_t sequence(const char *text)
{
    static const struct {
        unsigned char first, last, low, high, length; /* of the first byte, of the second one, and of them all */
    } forms[] = {{0x01, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
                 {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    const unsigned char *s = (const unsigned char *)text;
    size_t k = 0, n = 2;
    while (k < sizeof forms / sizeof *forms && (s[0] < forms[k].first || s[0] > forms[k].last))
        k++;
    if (k == sizeof forms / sizeof *forms || s[1] < forms[k].low || s[1] > forms[k].high)
        return 0;
    while (n < forms[k].length && s[n] >= 0x80 && s[n] <= 0xBF)
        n++;
    return n < forms[k].length ? 0 : forms[k].length;
}

/* escape writes a text as loggers take it, at most three times as long. In FMI '#' opens a reference to a variable and '%' a printf
 * directive, so that both are doubled. A run of bytes that are no UTF-8, as in the name of a folder, becomes U+FFFD. */
static void escape(char *to, const char *text)
{
    for (int broken = 0; *text != '\0';) {
        size_t n = sequence(text);
        if (n == 0 && !broken)
            to = (char *)memcpy(to, "\xEF\xBF\xBD", 3) + 3;
        if (*text == '%' || *text == '#')
            *to++ = *text;
        to = (char *)memcpy(to, text, n) + n;
        broken = n == 0;
        text += broken ? 1 : n;
    }
    *to = '\0';
}

/* report makes a line of the loader's own. It may hold long paths, while the host's stack may be small. */
static void report(instance *i, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = length > 0 ? (size_t)length + 1 : 1;
    char *plain = calloc(4, size), *escaped;
    if (plain == NULL)
        return;
    escaped = plain + size;
    va_start(arguments, format);
    vsnprintf(plain, size, format, arguments);
    va_end(arguments);
    escape(escaped, plain);
    append(i, fmi2Error, "logStatusError", escaped);
    free(plain);
}

/* give takes the next line out for the logger; NULL when there is none. */
static line *give(instance *i)
{
    if (i->first == NULL) /* the common case */
        return NULL;
    hold(i);
    line *l = i->first;
    if (l != NULL) {
        i->first = l->next;
        l->next = i->out;
        i->out = l;
    }
    let_go(i);
    return l;
}

/* retire puts a line that has come back from the logger in the place of the one before. */
static void retire(instance *i, line *l)
{
    hold(i);
    line **at = &i->out, *old = i->spent;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    i->spent = l;
    let_go(i);
    free(old);
}

/* drain hands all waiting lines to the host. A line is out of the list before the logger runs, so that a logger which never
 * returns, or calls into the FMU, leaves everything in order. One that frees the instance c has got the other lines by then; c is
 * NULL for one that is in no slot. */
static void drain(instance *i, fmi2Component c)
{
    for (line *l; (l = give(i)) != NULL; retire(i, l)) {
        i->logger(i->environment, i->name, l->status, l->category, l->text);
        if (c != NULL && find(c) != i)
            return;
    }
}
