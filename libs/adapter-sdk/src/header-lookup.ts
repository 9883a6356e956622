/** Headers as HTTP libraries provide them: in any case, with one value or several. */
export type HeaderMap = Record<string, string | string[] | undefined>;

/** Every value of a header, whatever the case of its name; an empty array when it is absent. */
export function headerValues(headers: HeaderMap, name: string): string[] {
  const wanted = name.toLowerCase();
  const found: string[] = [];
  for (const [key, value] of Object.entries(headers)) {
    if (value === undefined || key.toLowerCase() !== wanted) continue;
    found.push(...(Array.isArray(value) ? value : [value]));
  }
  return found;
}

/** The first value of a header, whatever the case of its name; undefined when it is absent. */
export function headerValue(headers: HeaderMap, name: string): string | undefined {
  return headerValues(headers, name)[0];
}
