/**
 * In this header the portal sends its token for the ingress when it forwards a webhook. It proves that
 * `x-forwarded-for` comes from the portal. No receipt stores it.
 */
export const portalHopHeader = 'x-gatehouse-portal';

/**
 * In this header the gateway sends its token for the ingress, in the App's project, to mark its own request to a
 * webhook. The request is checked and answered like any other, but has no effect: its event ends as `verification`. No
 * receipt stores the header.
 */
export const probeHeader = 'x-gatehouse-probe';
