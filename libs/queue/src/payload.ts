import type { JobContract } from '#libs/contracts';
import { validateSync } from 'class-validator';
import { PermanentFailure } from './failures.js';

/**
 * Checks what came out of the queue against its contract; the compiler checks what goes in.
 * @throws PermanentFailure `invalid_payload`, naming the fields
 */
export function checkedPayload<P extends object>(contract: JobContract<P>, data: unknown): P {
  const payload = Object.assign(new contract.payload(), data);
  const errors = validateSync(payload, { forbidUnknownValues: false });
  if (errors.length > 0) {
    const fields = errors.map((error) => `${error.property}: ${Object.values(error.constraints ?? {}).join(', ')}`);
    throw new PermanentFailure('invalid_payload', `${contract.name} ${fields.join('; ')}`);
  }
  return payload;
}
