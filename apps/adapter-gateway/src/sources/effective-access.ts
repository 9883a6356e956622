import { type DocumentAccess, narrowest } from '#libs/contracts';
import type { AccessRule, SourceRow } from './source.entity.js';

/** Who may get answers from a document: the narrowest of all that is reported of it and of where it is. */
export function effectiveAccess(
  { path, access }: { path: string; access: DocumentAccess | null },
  source: Pick<SourceRow, 'audience' | 'access_from' | 'access' | 'access_rules'>,
): DocumentAccess {
  const reported = source.access_from === 'provider' ? [placeOf(source.access), access] : [];
  return narrowest(source.audience, [...reported, ruled(path, source.access_rules)]);
}

function placeOf(access: SourceRow['access']): DocumentAccess | null {
  return access && { audience: access.audience, readers: access.readers };
}

/** By the rule with the longest prefix. A folder that nobody thought of when the rules were made is not opened by them. */
function ruled(path: string, rules: readonly AccessRule[]): DocumentAccess | null {
  if (rules.length === 0) return null;
  const [rule] = rules
    .filter(({ prefix }) => path.startsWith(prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return rule ? { audience: rule.audience, readers: rule.readers } : { audience: 'listed', readers: [] };
}
