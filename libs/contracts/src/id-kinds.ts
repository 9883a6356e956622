/** Prefix of every kind of id: it shows what an id in a log line or a support mail refers to. */
export type IdKind =
  | 'org'
  | 'prj'
  | 'key'
  | 'usr'
  | 'mse'
  | 'sil'
  | 'app'
  | 'adp'
  | 'mfv'
  | 'src'
  | 'syn'
  | 'sdoc'
  | 'evt'
  | 'out'
  | 'msg'
  | 'cha'
  | 'ses'
  | 'trg'
  | 'wfl'
  | 'run'
  | 'trn'
  | 'stp'
  | 'agt'
  | 'dlv'
  | 'cred'
  | 'bnd'
  | 'aud'
  | 'rfa'
  | 'flw'
  | 'lnk'
  | 'rvk'
  | 'gev'
  | 'con'
  | 'dlt'
  | 'bat'
  | 'mcp'
  | 'prv'
  | 'tol'
  | 'skl'
  | 'tcl'
  | 'doc'
  | 'ent'
  | 'apr'
  | 'tri'
  | 'cmp'
  | 'nte'
  | 'can'
  | 'cmc'
  | 'cst'
  | 'sch'
  | 'tck'
  | 'ask'
  | 'opc'
  | 'req'
  | 'cfr'
  | 'alr'
  | 'alt'
  | 'mem'
  | 'viw'
  | 'wcm'
  | 'wai'
  | 'tsk'
  | 'psh';

/** What people set up: few, and repeated in every row of their messages. */
const setUpKinds = ['org', 'prj', 'app', 'agt', 'trg'] as const satisfies readonly IdKind[];
export type SetUpKind = (typeof setUpKinds)[number];
export const setUp: ReadonlySet<IdKind> = new Set<IdKind>(setUpKinds);

/**
 * A regular expression: the digits of ids of these kinds. 32 are the form of earlier releases; 14 that of what people
 * set up; 22, and 25 of what follows from another id, those of all others.
 */
export function idDigits(...kinds: IdKind[]): string {
  const forms = ['[0-9a-f]{32}'];
  if (kinds.some((kind) => setUp.has(kind))) forms.push('[0-9a-z]{14}');
  if (kinds.some((kind) => !setUp.has(kind))) forms.push('[0-9a-f]{12}[0-9a-z]{10}(?:[0-9a-z]{3})?');
  return `(?:${forms.join('|')})`;
}
