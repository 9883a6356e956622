/** Names of fields, settings and headers whose value is a secret. */
const secretNames = String.raw`[\w.-]*(?:authorization|password|passwd|secret|token|api[_-]?key|credential|cookie|signature|private[_-]?key|service[_-]?key|kek)[\w.-]*`;
const mark = '[redacted]';

const patterns: [RegExp, string][] = [
  // Our API keys, secrets of webhooks, JWTs, PEM, what stands before the @ of an address, tokens in the path of a webhook.
  [/gh_[\w-]{8,}/g, mark],
  [/whsec_[\w+/=-]+/g, mark],
  [/eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, mark],
  [/-----BEGIN [^-]+-----[\s\S]*?(?:-----END [^-]+-----|$)/g, mark],
  [/(\w+:\/\/)[^\s/@"']+@/g, `$1${mark}@`],
  [/(\/webhooks\/)[\w~.-]+/g, `$1${mark}`],
  [/([?#&](?:token|code|key|link|state)=)[^\s&"']+/gi, `$1${mark}`],
  [/\b(Bearer|Basic) [\w+/=.~-]+/gi, `$1 ${mark}`],
  [
    new RegExp(String.raw`("${secretNames}"\s*:\s*)(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^,}\]\s]+)`, 'gi'),
    `$1"${mark}"`,
  ],
  [new RegExp(String.raw`(\b${secretNames}=)(?!\[redacted\])[^\s&"']+`, 'gi'), `$1${mark}`],
];

/** Shorter ones would take away what is none. */
const leastLength = 8;

/** Takes secrets out of texts: those that are known, in each spelling, and whatever looks like one. */
export function redactor(known: string[]): (text: string) => string {
  const spellings = new Set(
    known
      .filter((secret) => secret.length >= leastLength)
      .flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
        Buffer.from(secret).toString('hex'),
      ]),
  );
  // A longer one may hold a shorter one.
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return (text) =>
    patterns.reduce(
      (cleaned, [pattern, replacement]) => cleaned.replaceAll(pattern, replacement),
      longestFirst.reduce((cleaned, secret) => cleaned.replaceAll(secret, mark), text),
    );
}
