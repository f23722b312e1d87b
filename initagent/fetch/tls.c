// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tls: see tls.h. The product's library is mbedTLS; the host flavour's libcurl brings another one,
 * which looks at the clock in its own way.
 */
#include "fetch/tls.h"

#ifdef TLS_MBEDTLS
#include <mbedtls/platform_time.h>
#include <mbedtls/ssl.h>
#include <mbedtls/x509_crt.h>
#endif

#ifdef TLS_MBEDTLS

/*
 * The library asks for the time without saying for whom: the floor is the process's. This file runs
 * only in the process that fetches, which has one set-up.
 */
static mbedtls_time_t floor_time;

static mbedtls_time_t time_or_floor(mbedtls_time_t *ret)
{
	mbedtls_time_t now = time(NULL);

	if (now < floor_time)
		now = floor_time;
	if (ret)
		*ret = now;
	return now;
}

static int on_certificate(void *data, mbedtls_x509_crt *crt, int depth, uint32_t *flags)
{
	struct tls *t = data;

	(void)crt;
	(void)depth;
	if (time(NULL) < t->clock_floor)
		*flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_FUTURE | MBEDTLS_X509_BADCRL_FUTURE);
	if (t->any)
		*flags = 0;
	t->flags |= *flags;
	return 0;
}

/*
 * Signatures in the order of preference (RFC 8446 4.2.3). The library's own list has RSA-PSS before
 * PKCS#1; a server takes the first it can, with TLS 1.2 too, where the library then refuses
 * RSA-PSS. TLS 1.3 leaves PKCS#1 to certificates, so that its place does not matter there.
 */
static const uint16_t signatures[] = {
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP256R1_SHA256,
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP384R1_SHA384,
	MBEDTLS_TLS1_3_SIG_ECDSA_SECP521R1_SHA512,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA256,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA384,
	MBEDTLS_TLS1_3_SIG_RSA_PKCS1_SHA512,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA256,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA384,
	MBEDTLS_TLS1_3_SIG_RSA_PSS_RSAE_SHA512,
	MBEDTLS_TLS1_3_SIG_NONE,
};

static CURLcode on_context(CURL *easy, void *config, void *data)
{
	(void)easy;
	mbedtls_ssl_conf_sig_algs(config, signatures);
	mbedtls_ssl_conf_verify(config, on_certificate, data);
	return CURLE_OK;
}

static const struct {
	uint32_t flag;
	const char *words;
} reasons[] = {
	{MBEDTLS_X509_BADCERT_EXPIRED, "it has expired"},
	{MBEDTLS_X509_BADCERT_FUTURE, "it is not valid yet (or this node's clock is slow)"},
	{MBEDTLS_X509_BADCERT_CN_MISMATCH, "it is for another name"},
	{MBEDTLS_X509_BADCERT_NOT_TRUSTED, "it is not signed by a trusted authority"},
	{MBEDTLS_X509_BADCERT_BAD_KEY, "its key is too weak"},
	{MBEDTLS_X509_BADCERT_BAD_MD, "its signature algorithm is too weak"},
	{MBEDTLS_X509_BADCERT_KEY_USAGE | MBEDTLS_X509_BADCERT_EXT_KEY_USAGE,
		"it is not a server certificate"},
	{UINT32_MAX, "it cannot be verified"},
};

const char *tls_reason(const struct tls *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (t->flags & reasons[i].flag)
			return reasons[i].words;
	return "";
}

static CURLcode hook(struct tls *t, CURL *easy)
{
	CURLcode e = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_context);

	floor_time = t->clock_floor;
	mbedtls_platform_set_time(time_or_floor);
	return e ? e : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, t);
}

#else

const char *tls_reason(const struct tls *t)
{
	(void)t;
	return "";
}

static CURLcode hook(struct tls *t, CURL *easy)
{
	(void)t;
	(void)easy;
	return CURLE_OK;
}

#endif

#ifdef FEATURE_TLS
/* The certificates are bytes: the process that fetches can open no file. None at all means that
 * none is trusted. */
CURLcode tls_apply(struct tls *t, CURL *easy)
{
	struct curl_blob ca = {.flags = CURL_BLOB_NOCOPY, .len = t->ca_len};
	CURLcode e;

	t->flags = 0;
	memcpy(&ca.data, &t->ca, sizeof(ca.data));
	e = curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	e = e ? e : curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
	e = e ? e : curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, t->any ? 0L : 1L);
	e = e ? e : curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, t->any ? 0L : 2L);
	if (e == CURLE_OK && t->ca)
		e = curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
	return e ? e : hook(t, easy);
}
#else
CURLcode tls_apply(struct tls *t, CURL *easy)
{
	t->flags = 0;
	return hook(t, easy);
}
#endif
