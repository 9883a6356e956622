/**
 * With this header the portal hands a webhook on: its token for the ingress, which proves that `x-forwarded-for` is the
 * portal's word. No receipt keeps it.
 */
export const portalHopHeader = 'x-gatehouse-portal';
