/**
 * How far content is trusted that a model is shown, least first. `untrusted`: anybody may have written it. `partner`:
 * from parties that the project knows and trusts not to mislead its agents. `own`: from the project itself, or from a
 * sender that it admits.
 */
export const contentTrusts = ['untrusted', 'partner', 'own'] as const;
export type ContentTrust = (typeof contentTrusts)[number];

/** The trust of contents together: that of the least trusted; `own` if there are none. */
export function leastTrusted(...trusts: ContentTrust[]): ContentTrust {
  return contentTrusts.find((trust) => trusts.includes(trust)) ?? 'own';
}

/** Whether content of `a` is trusted less than content of `b`. */
export function isTrustedLess(a: ContentTrust, b: ContentTrust): boolean {
  return contentTrusts.indexOf(a) < contentTrusts.indexOf(b);
}
