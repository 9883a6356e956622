/** Owns every schema and migrates it; no service connects with it. */
export const ownerRole = 'gatehouse_owner';

/** The Postgres role of a service. */
export function roleOf(service: string): string {
  return `gatehouse_${service.replaceAll('-', '_')}`;
}
