import { isJsonObject, kindOf } from '#libs/adapter-sdk';
import { type DocumentAccess, documentAudiences, readersOf } from '#libs/contracts';
import { SourceError } from './source-error.js';

/**
 * Who may open a document or a whole place, as an adapter says it; null where it says nothing.
 * @throws SourceError for what is no access: taken for none, it would open documents to all whom the source serves
 */
export function accessIn(
  value: unknown,
  { route, permanent }: { route: string; permanent: boolean },
): DocumentAccess | null {
  if (value === undefined || value === null) return null;
  const wrong = (what: string): SourceError =>
    new SourceError('contract_violation', `${route}: access ${what}`, permanent);
  if (!isJsonObject(value)) throw wrong(`must be an object, not ${kindOf(value)}`);
  const audience = documentAudiences.find((one) => one === value['audience']);
  if (audience === undefined) throw wrong(`.audience must be one of ${documentAudiences.join(', ')}`);
  if (audience !== 'listed') return { audience, readers: [] };
  const given = value['readers'];
  if (!Array.isArray(given)) throw wrong(`.readers must be a list, not ${kindOf(given)}`);
  const readers = readersOf(given);
  if (typeof readers === 'string') throw wrong(`.readers ${readers}`);
  return { audience, readers };
}
