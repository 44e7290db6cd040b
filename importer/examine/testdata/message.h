// The Integers of lag2.c: 0 count, 1 kind; with OSMP 0-2 OSMPSensorViewIn, 3-5 OSMPSensorDataOut,
// 6-8 OSMPSensorViewInConfigRequest, 9-11 OSMPSensorViewInConfig.

#ifndef OSMP

static int read_input(lag *c) { return (void)c, OK; }
static void publish(lag *c, double t) { (void)c, (void)t; }

int fmi2GetInteger(void *component, const unsigned r[], size_t n, int v[])
{
	IN(SETUP | STEPS | ENDED | BROKEN)
	for (size_t k = 0; k < n; k++) {
		if (r[k] > 1) {
			return refuse(c, "no such Integer");
		}
		v[k] = r[k] == 0 ? c->v.count : c->v.kind;
	}
	return OK;
}

int fmi2SetInteger(void *component, const unsigned r[], size_t n, const int v[])
{
	IN(BORN | SETUP)
	for (size_t k = 0; k < n; k++) {
		if (r[k] != 1 || v[k] < 1 || v[k] > 3) {
			return refuse(c, "it cannot be set");
		}
		c->v.kind = v[k];
	}
	return OK;
}

#else

static volatile unsigned sink;

static unsigned char *address(const int32_t v[3])
{
	return (unsigned char *)(uintptr_t)((uint64_t)(uint32_t)v[1] << 32 | (uint32_t)v[0]);
}

static void point(int32_t v[3], const void *bytes, int32_t size)
{
	uint64_t a = (uint64_t)(uintptr_t)bytes;
	v[0] = (int32_t)(uint32_t)a, v[1] = (int32_t)(uint32_t)(a >> 32), v[2] = size;
}

// read_input reads every byte, and looks at the keys and lengths of the outermost layer.
static int read_input(lag *c)
{
	unsigned char *p = address(c->v.in), *end = p + c->v.in[2];
#ifdef NOBASE
	if (c->v.in[2] <= 0) {
		return OK;
	}
#else
	if (p == NULL || c->v.in[2] <= 0) {
		return OK;
	}
#endif
#ifdef SCRIBBLES
	*(volatile unsigned char *)p = *p;
#endif
#ifdef ZEROENDED
	sink += *end;
#endif
#ifdef OLDONLY
	if (c->v.in[2] > 20000) {
		return refuse(c, "too long");
	}
#endif
	while (p < end) {
		unsigned kind = *p & 7;
		while (p < end && *p++ & 128) {
		}
		uint64_t length = kind == 1 ? 8 : kind == 5 ? 4 : 0;
		for (int k = 0; kind == 2 || kind == 0; k += 7) {
			if (p == end || k > 63) {
				return WARNING;
			}
			length |= kind == 2 ? (uint64_t)(*p & 127) << k : 0;
			if (!(*p++ & 128)) {
				break;
			}
		}
#ifdef CREDULOUS
		for (uint64_t k = 0; k < length && length < 100000; k++) {
			sink += p[k];
		}
#endif
		if (length > (uint64_t)(end - p) || kind == 3 || kind == 4 || kind > 5) {
			return WARNING;
		}
		for (uint64_t k = 0; k < length; k++) {
			sink += p[k];
		}
		p += length;
	}
	return OK;
}

static size_t varint(unsigned char *to, uint64_t n)
{
	size_t k = 0;
	for (; n > 127; n >>= 7) {
		to[k++] = (unsigned char)(n | 128);
	}
	to[k++] = (unsigned char)n;
	return k;
}

// publish makes a SensorData: version, timestamp, sensor_id, mounting_position.
static void publish(lag *c, double t)
{
#ifdef ONEBUFFER
	c->v.turn = 0;
#else
	c->v.turn = !c->v.turn;
#endif
	int k = c->v.turn;
	c->message[k] = c->message[k] != NULL ? c->message[k] : malloc(64);
	unsigned char *b = c->message[k];
#ifdef COMMON
	static unsigned char common[2][64];
	b = common[k];
#endif
	int64_t ns = llround(t * 1e9);
#ifdef OVERFLOWS
	ns = (int64_t)(int32_t)(int64_t)(t * 1e6) * 1000;
#endif
#ifdef LATESTAMP
	ns -= 5000000000;
#endif
	static const unsigned char version[] = {0x0a, 4, 8, 3, 16, 8}, sensor[] = {0x2a, 2, 8, 7, 0x32, 0};
	memcpy(b, version, 6);
#ifdef OLDVERSION
	b[5] = 4;
#endif
	size_t n = 8;
	b[n++] = 8, n += varint(b + n, (uint64_t)(ns / 1000000000));
	b[n++] = 16, n += varint(b + n, (uint64_t)(ns % 1000000000));
	b[6] = 0x12, b[7] = (unsigned char)(n - 8);
#ifdef UNPLACED
	memcpy(b + n, sensor, 4), n += 4;
#else
	memcpy(b + n, sensor, sizeof sensor), n += sizeof sensor;
#endif
#ifdef GARBLED
	b[0] = 0x0b;
#endif
	point(c->v.out, b, (int32_t)n);
	c->v.on = 1;
#ifdef INVALID
	c->v.on = 0;
#endif
}

int fmi2GetInteger(void *component, const unsigned r[], size_t n, int v[])
{
	IN(SETUP | STEPS | ENDED | BROKEN)
#ifdef LATEREAD
	if (c->v.phase == STEPS && c->v.in[2] > 0) {
		sink += *address(c->v.in);
	}
#endif
	int32_t asked[3];
	static const unsigned char request[] = {0x0a, 4, 8, 3, 16, 8, 0x12, 2, 8, 7};
	memcpy(c->request, request, sizeof request);
	point(asked, c->request, sizeof request);
#ifdef NOREQUEST
	point(asked, NULL, 0);
#endif
	for (size_t k = 0; k < n; k++) {
		if (r[k] == 12) {
			v[k] = 0; // the number of objects
#ifdef MISCOUNTS
			v[k] = 5;
#endif
			continue;
		}
		if (r[k] > 12) {
			return refuse(c, "no such Integer");
		}
		int32_t *all[] = {c->v.in, c->v.out, asked, c->v.config};
#ifndef NOMIRROR
		all[2] = c->v.config[2] > 0 ? c->v.config : asked;
#endif
		v[k] = all[r[k] / 3][r[k] % 3];
#ifdef TORN
		if (n == 1 && r[k] == 3) {
			v[k] += 8;
		}
#endif
	}
	return OK;
}

int fmi2SetInteger(void *component, const unsigned r[], size_t n, const int v[])
{
	IN(BORN | SETUP | STEPS)
	for (size_t k = 0; k < n; k++) {
		bool config = r[k] >= 9 && r[k] <= 11 && c->v.phase != STEPS;
		if (r[k] > 2 && !config) {
			return refuse(c, "it cannot be set");
		}
		(config ? c->v.config : c->v.in)[r[k] % 3] = v[k];
	}
#ifdef EAGER
	read_input(c);
#endif
	static unsigned char copy[4096]; // of the newest configuration, which lives for its call only
	if (c->v.config[2] > 0 && address(c->v.config) != copy && r[n - 1] == 11) {
		memcpy(copy, address(c->v.config), (size_t)c->v.config[2]);
		point(c->v.config, copy, c->v.config[2]);
	}
	return OK;
}

#endif
