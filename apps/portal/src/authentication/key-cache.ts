/** Injects for how many milliseconds what was read of a caller is believed. */
export const KEY_CACHE_MS = Symbol('KEY_CACHE_MS');
