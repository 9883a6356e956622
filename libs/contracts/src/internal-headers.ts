/**
 * With this header the portal hands a webhook on: its token for the ingress, which proves that `x-forwarded-for` is the
 * portal's word. No receipt keeps it.
 */
export const portalHopHeader = 'x-gatehouse-portal';

/**
 * With this header the gateway marks a request of its own to a webhook: its token for the ingress, in the App's project.
 * The request is checked and answered as any other, and comes to nothing: its event ends as `verification`. No receipt
 * keeps the header.
 */
export const probeHeader = 'x-gatehouse-probe';
