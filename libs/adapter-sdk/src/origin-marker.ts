const marker = /^[0-9a-f]{32}\.dlv_(?:[0-9a-f]{32}|[0-9a-f]{12}[0-9a-z]{10}(?:[0-9a-z]{3})?)$/;

/** The form of a platform's origin marker: an App's 32 hex digits and a delivery's id. Safe in a header and in JSON. */
export function isOriginMarker(value: unknown): value is string {
  return typeof value === 'string' && marker.test(value);
}
