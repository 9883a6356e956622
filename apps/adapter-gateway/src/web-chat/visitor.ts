import { type Credentials, isJsonObject, secretList, strongSecrets } from '#libs/adapter-sdk';
import { Problem } from '#libs/service-kit';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { createHash } from 'node:crypto';

/** Who writes. */
export interface Visitor {
  /** Channel address and sender. */
  id: string;
  name?: string;
  email?: string;
  /** The site has signed who it is. */
  signed: boolean;
  /** Until when the site vouches for it; null: an anonymous visitor's secret has no end. */
  until: Date | null;
}

/** 256 random bits or more, as base64url: nobody guesses another visitor's. */
const secretPattern = /^[A-Za-z0-9_-]{43,128}$/;
const maxSubjectChars = 200;
const maxTokenChars = 4_096;
const clockToleranceS = 30;

/**
 * The visitor whom a page names: by a token that its site has signed, or by a secret of the browser. Of a secret only the
 * digest is known here, which is the visitor's address.
 * @throws Problem 401
 */
export async function readVisitor(credentials: Credentials, given: unknown): Promise<Visitor> {
  const { token, secret } = isJsonObject(given) ? given : {};
  if (typeof token === 'string') return signedVisitor(credentials, token);
  if (typeof secret !== 'string' || !secretPattern.test(secret)) {
    throw refused('visitor_required', 'The page has to name its visitor: by visitor.token, or by a visitor.secret.');
  }
  if (!allowsAnonymous(credentials)) {
    throw refused('identity_required', 'This chat is for visitors whom its site has signed: send visitor.token.');
  }
  const digest = createHash('sha256').update(`web chat visitor ${secret}`).digest('base64url');
  return { id: `anon:${digest.slice(0, 32)}`, name: `Visitor ${digest.slice(0, 4)}`, signed: false, until: null };
}

/** With a secret for identities, anonymous visitors are let in only where that is chosen. */
function allowsAnonymous({ identity_secret: secret, anonymous }: Credentials): boolean {
  return (
    secretList(secret).length === 0 || (typeof anonymous === 'string' && /^(yes|true|on)$/i.test(anonymous.trim()))
  );
}

/** A JSON Web Token (RFC 7519), HS256, with `sub` and `exp`. Several secrets are valid during a rotation. */
async function signedVisitor(credentials: Credentials, token: string): Promise<Visitor> {
  const secrets = strongSecrets(credentials.identity_secret);
  if (secrets.length === 0) {
    throw refused('identity_refused', 'This chat has no secret that could check who a visitor is.');
  }
  if (token.length > maxTokenChars) throw refused('identity_refused', `The token is over ${maxTokenChars} characters.`);
  let why: unknown;
  for (const secret of secrets) {
    try {
      const options = { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'], clockTolerance: clockToleranceS };
      const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), options);
      return visitorOf(payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      why = error;
    }
  }
  if (why instanceof errors.JWTExpired) throw refused('identity_expired', "The visitor's token has expired.");
  throw refused('identity_refused', "The visitor's token was not signed by this chat's site, or lacks sub or exp.");
}

function visitorOf({ sub = '', exp = 0, name, email }: JWTPayload & { name?: unknown; email?: unknown }): Visitor {
  if (sub.trim() === '' || sub.length > maxSubjectChars || /\p{Cc}/u.test(sub)) {
    throw refused('identity_refused', `sub has to be 1 to ${maxSubjectChars} characters.`);
  }
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && value.trim() !== '' ? value.slice(0, maxSubjectChars) : undefined;
  const [shownName, mail] = [text(name), text(email)];
  return {
    id: `user:${sub}`,
    ...(shownName !== undefined && { name: shownName }),
    ...(mail !== undefined && { email: mail }),
    signed: true,
    until: new Date(exp * 1_000),
  };
}

const refused = (code: string, detail: string): Problem => new Problem(401, code, detail);
