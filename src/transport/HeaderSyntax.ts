/** The syntax of headers in HTTP/1.1 (RFC 9110, section 5). */

const name = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

// oxlint-disable-next-line no-control-regex
const otherThanValue = /[^\t\x20-\x7e\x80-\xff]/

export const isHeaderName = (text: string): boolean => name.test(text)

/**
 * Whether these characters are allowed in a value: each is one byte, and none of them a control character but the tab.
 */
export const isHeaderValue = (text: string): boolean => !otherThanValue.test(text)
