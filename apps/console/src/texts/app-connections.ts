/** How events come where no webhook brings them, and what keeps a webhook alive. */
export const connectionTexts = {
  connection: {
    title: 'Without a public address',
    about: 'The provider can be asked for its messages, so that it needs no way to reach this installation.',
    hold: 'Fetch messages',
    drop: 'Stop fetching',
    states: {
      waiting: 'Connecting …',
      connected: 'Connected',
      degraded: 'Connected in part',
      failing: 'Not connected',
      stopped: 'Given up',
    },
    failingSince: { degraded: 'A part is silent since', other: 'Silent since' },
    whatToDo: {
      auth_failed: 'Replace the secret in the credential that is linked here, then press Verify.',
      permission_denied: 'Allow at the provider what the reason names.',
      unsupported: 'Change at the provider what the reason names.',
      contract_violation: 'The adapter answers wrongly: see its page in the Developer Portal.',
      connection_withdrawn:
        'Its adapter cannot be asked any more: stop fetching, and let the provider call the webhook.',
      other: 'It is tried again by itself. If that lasts for minutes, look at the status page of the provider.',
    } satisfies Record<string, string>,
    since: 'since',
    lastEvent: 'Last message',
    none: 'No message yet.',
    nextTry: 'Next try',
    gap: 'Messages are missing:',
    from: 'from',
    until: 'until',
  },
  renewal: {
    title: 'Subscription at the provider',
    renew: 'Renew now',
    renewed: 'Renewed',
    never: 'Not renewed yet.',
    expires: 'The provider sends events until',
    due: 'Next renewal',
    inFlight: 'The renewal is in progress.',
    failed: 'The last attempt failed:',
  },
};
