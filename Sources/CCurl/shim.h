#pragma once
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function for each type of value.

static inline CURLcode cdoc_curl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}
static inline CURLcode cdoc_curl_set_number(CURL *easy, CURLoption option, long number) {
    return curl_easy_setopt(easy, option, number);
}
static inline CURLcode cdoc_curl_set_size(CURL *easy, CURLoption option, curl_off_t size) {
    return curl_easy_setopt(easy, option, size);
}
static inline CURLcode cdoc_curl_set_pointer(CURL *easy, CURLoption option, void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}
static inline CURLcode cdoc_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

typedef size_t (*cdoc_curl_taker)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode cdoc_curl_set_takers(CURL *easy, cdoc_curl_taker body, cdoc_curl_taker head, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    return code;
}

typedef int (*cdoc_curl_opener)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*cdoc_curl_closer)(void *context, curl_socket_t socket);

/// Who is told of each socket that was opened, and closes it.
static inline CURLcode cdoc_curl_set_sockets(CURL *easy, cdoc_curl_opener opened, cdoc_curl_closer close, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return code;
}

static inline CURLcode cdoc_curl_length(CURL *easy, curl_off_t *length) {
    return curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, length);
}
/// How many bytes of bodies and of heads have gone and come so far.
static inline CURLcode cdoc_curl_moved(CURL *easy, curl_off_t *count) {
    curl_off_t sent = 0, received = 0;
    long request = 0, head = 0;
    CURLcode code = curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (code == CURLE_OK) code = curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    if (code == CURLE_OK) code = curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &request);
    if (code == CURLE_OK) code = curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &head);
    *count = sent + received + request + head;
    return code;
}
static inline CURLcode cdoc_curl_status(CURL *easy, long *status) {
    return curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
}
