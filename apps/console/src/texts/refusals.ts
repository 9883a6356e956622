/** Which limit refused a request, by the code of its answer, and how it is raised. */
export const refusalTexts: { limits: Readonly<Record<string, string>> } = {
  limits: {
    rate_limited: 'Over ENDPOINT_RATE_PER_SECOND of the webhook-ingress, for this URL. An operator raises it.',
    address_rate_limited:
      'Over ADDRESS_RATE_PER_SECOND of the webhook-ingress, for one address. An operator raises it, or names a proxy of many senders in TRUSTED_PROXIES.',
    project_limit:
      'Too many messages wait for messages_per_second of this project. Raise it in the settings; PROJECT_MAX_WAITING says how many may wait.',
    too_many_slow_bodies: 'Over SLOW_BODIES of the webhook-ingress. An operator raises it.',
  },
};
