import { named } from '../drawn/drawn-text.js';
import { own } from '../own.js';

const errors: Readonly<Record<string, string>> = {
  link_used_or_expired:
    'This link was already used or has expired. Start Gatehouse again, or ask an owner for a new one.',
  not_invited: 'Nobody has invited you yet. Ask an owner to invite you.',
  not_a_member: 'You are no longer a member, or you are suspended. Ask an owner.',
  email_not_verified:
    'Your identity provider has not verified your email address. Verify it there, or ask an owner for a link.',
  identity_conflict: 'Your email address belongs to another account here. Ask an owner.',
  sign_in_refused: 'The identity provider refused the sign-in. Try again, or choose another way.',
  sign_in_failed: 'The identity provider’s answer was not valid. Try again; the portal’s log says why.',
  issuer_unavailable: 'The identity provider does not answer. Try again later, or use a link.',
  wrong_browser: 'The sign-in was started in another browser, or too long ago. Try again.',
  too_many_sign_ins:
    'Too many sign-ins failed from your address. Wait a minute, or ask an operator to raise FAILED_KEYS_PER_ADDRESS.',
};

export const signInTexts = {
  title: 'Sign in to Gatehouse',
  byLink: 'Open the sign-in link that Gatehouse printed when it started, or that an owner gave you.',
  whereLink: 'On a local installation it is also in .data/gatehouse.json, as owner_link.',
  with: (name: string) => `Continue with ${named(name)}`,
  working: 'Signing you in …',
  loading: 'Looking for ways to sign in …',
  error: (code: string) => own(errors, code) ?? `Signing in failed (${code}). Try again.`,
};
