import { idDigits, type InboundRequest } from '#libs/contracts';

/** Where an App's outgoing message carries the marker (spec 4.2, generic webhook). */
export const originHeader = 'x-gatehouse-origin';
export const originField = 'gatehouse_origin';

const form = new RegExp(`^([0-9a-f]{32})(?:\\.(dlv_${idDigits('dlv')}))?$`);
/** Read of one message: a sender may write any number of them. */
const maxMarkers = 8;

/** An App by what it marks its messages with. */
export interface Marked {
  origin_marker: string;
}

/**
 * The marker of a delivery: its App and its id. The hop count is read from the delivery's row, so only the platform can
 * set it, and a marker counts only for the message that carries it.
 */
export function originMarker(app: Marked, deliveryId: string): string {
  return `${app.origin_marker}.${deliveryId}`;
}

/** Whether the App itself sent it, in any of its deliveries. */
export function isOwnMarker(app: Marked, marker: string): boolean {
  return form.exec(marker)?.[1] === app.origin_marker;
}

/** The markers in the header and in the JSON body of a request. */
export function markersIn({ headers }: Pick<InboundRequest, 'headers'>, payload: unknown): string[] {
  const given = headers[originHeader];
  const inHeaders = (Array.isArray(given) ? given : [given ?? '']).flatMap((value) => value.split(','));
  return validMarkers([
    ...inHeaders,
    fieldOf(payload, originField),
    fieldOf(fieldOf(payload, 'metadata'), originField),
  ]);
}

/** The well-formed markers; no more than a message of ours could carry. */
export function validMarkers(values: unknown[]): string[] {
  const texts = values.flatMap((value) => (typeof value === 'string' ? [value.trim()] : []));
  return [...new Set(texts.filter((text) => form.test(text)))].slice(0, maxMarkers);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
