const errors: Readonly<Record<string, string>> = {
  link_used_or_expired:
    'This link was used already, or is too old. Start Gatehouse again, or ask an owner for a new one.',
  not_invited: 'Nobody has invited you yet. Ask an owner to.',
  not_a_member: 'You are no member any more, or suspended. Ask an owner.',
  email_not_verified: 'Your address is not verified where you signed in. Verify it there, or ask an owner for a link.',
  identity_conflict: 'Your address belongs to somebody else here. Ask an owner.',
  sign_in_refused: 'The sign-in was refused there. Try again, or choose another way.',
  sign_in_failed: 'The sign-in there did not hold. Try again; the log of the portal says why.',
  issuer_unavailable: 'What you sign in with does not answer. Try again later, or use a link.',
  wrong_browser: 'The sign-in was begun in another browser, or too long ago. Try again.',
  too_many_sign_ins: 'Too many sign-ins failed from your address. Wait a minute.',
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
