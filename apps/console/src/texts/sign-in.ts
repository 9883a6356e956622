const errors: Readonly<Record<string, string>> = {
  link_used_or_expired:
    'This link was used already, or is too old. Start Gatehouse again, or ask an owner for a new one.',
  not_a_member: 'You are not a member of this organization. Ask an owner to invite you.',
  member_suspended: 'Your membership is suspended. Ask an owner.',
  oidc_refused: 'The sign-in was refused there. Try again, or choose another way.',
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
