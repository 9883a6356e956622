import { list } from '#libs/service-kit';

/** Which key of this installation may bring projects of which organization. */
export interface MoveAcceptance {
  organizationId: string;
  keyId: string;
}

/** Reads `<organization>=<key>`, comma-separated; none when it is not set. */
export const moveAccepts = (name: string, value: string | undefined): MoveAcceptance[] =>
  list(name, value).map((entry) => {
    const [organizationId, keyId, ...more] = entry.split('=').map((part) => part.trim());
    if (organizationId && keyId && more.length === 0) return { organizationId, keyId };
    throw new Error(
      `${name}: ${entry} is not <organization>=<key>, with the id of the admin key of this installation that may bring its projects`,
    );
  });
