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

/**
 * In this header of an OPTIONS request the portal announces the length of a body that it has not read yet; 0: unknown.
 * The service refuses it as it would refuse the whole request, or says how long the body may be.
 */
export const announcedBytesHeader = 'x-gatehouse-announced-bytes';

/**
 * The answer to an announced body: how many bytes it may have; 0: the request is refused, and the answer says why. A
 * service that does not know announcements answers without it.
 */
export const bodyRoomHeader = 'x-gatehouse-body-room';

/**
 * In this header of a read the portal says how old the rows of a list may be, in ms: the caller has changed nothing since.
 * Without it a list is read from the primary.
 */
export const mayLagHeader = 'x-gatehouse-may-lag';

/** In this header an answer says how old what it shows may be, in ms; absent: it is current. */
export const behindHeader = 'gatehouse-behind-ms';
