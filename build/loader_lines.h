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

/* report makes a line of the loader's own. In FMI '#' opens a reference to a variable and '%' a printf directive, so that both
 * are doubled. The line may hold long paths, while the host's stack may be small. */
static void report(instance *i, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    size_t size = length > 0 ? (size_t)length + 1 : 1;
    char *plain = calloc(3, size);
    if (plain == NULL)
        return;
    char *escaped = plain + size, *end = escaped;
    va_start(arguments, format);
    vsnprintf(plain, size, format, arguments);
    va_end(arguments);
    for (const char *p = plain; *p != '\0'; p++) {
        if (*p == '%' || *p == '#')
            *end++ = *p;
        *end++ = *p;
    }
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
