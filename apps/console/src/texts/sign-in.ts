/** By the codes that the sign-in ends with. */
const errors: Readonly<Record<string, string>> = {
  email_not_verified: 'The other side does not vouch for your email address. Verify it there, then try again.',
  identity_conflict:
    'Your email address belongs to a member who signs in as somebody else there. Ask an owner to remove that member and to invite you again.',
  issuer_unavailable: 'The single sign-on does not answer. Try again in a minute, or use a sign-in link.',
  link_used_or_expired:
    'This link was used already, or is too old. Start Gatehouse again, or ask an owner for a new one.',
  not_a_member: 'You are not a member here, or your membership is suspended. Ask an owner.',
  not_invited: 'Nobody has invited your email address. Ask an owner to invite you.',
  sign_in_failed: 'The sign-in did not come to an end. Try again; if it stays so, ask whoever runs Gatehouse.',
  sign_in_refused: 'The sign-in was refused there. Try again, or choose another way.',
  too_many_sign_ins: 'Too many sign-ins failed from where you are. Wait a minute, then try again.',
  wrong_browser: 'This sign-in was begun in another browser, or too long ago. Begin it again here.',
};

export const signInTexts = {
  title: 'Sign in to Gatehouse',
  byLink: 'Open the sign-in link that Gatehouse printed when it started, or that an owner gave you.',
  whereLink: 'On a local installation it also stands as owner_link in .data/gatehouse.json.',
  with: (name: string) => `Continue with ${name}`,
  working: 'Signing you in …',
  loading: 'Looking for ways to sign in …',
  error: (code: string) => errors[code] ?? `Signing in failed (${code}). Try again.`,
};
