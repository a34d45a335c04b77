/** Returns whether a text is an absolute URL with http or https. */
export const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

/** Returns whether a host, with or without a port, is this machine. */
export const isLoopback = (authority: string): boolean =>
  /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i.test(authority);
