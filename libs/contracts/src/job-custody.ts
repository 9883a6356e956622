import { ValidateBy } from 'class-validator';

/** What a job says of its own way, rather than of its message. A first job within its project's share says nothing. */
export interface JobCustody {
  /** From a project that sends more than its share: handled after everything within a share. */
  surplus?: true;
  /**
   * Enqueued anew by whoever keeps the row, since the earlier job may be lost: how often it was attempted by then.
   * Numbering continues from there.
   */
  attempts?: number;
  /** Handed over before by the service ahead, in a job that may be lost. */
  resent?: true;
}

const parts: Record<keyof JobCustody, (value: unknown) => boolean> = {
  surplus: (value) => value === true,
  attempts: (value) => Number.isInteger(value),
  resent: (value) => value === true,
};

function isCustody(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([part, content]) =>
      content === undefined || (Object.hasOwn(parts, part) && parts[part as keyof JobCustody](content)),
  );
}

/** Refuses a part that there is none of, and one of another type. */
export function IsCustody(): PropertyDecorator {
  const message = 'custody may have surplus (true), attempts (an integer) and resent (true)';
  return ValidateBy({ name: 'isCustody', validator: { validate: isCustody, defaultMessage: () => message } });
}
