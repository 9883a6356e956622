/** Reads one value of the URL. Undefined for a value that it does not accept, so that a wrong link still opens. */
type Reader<Value> = (value: unknown) => Value | undefined;

export const text: Reader<string> = (value) => {
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' ? String(value) : undefined;
};

export const flag: Reader<true> = (value) => (value === true ? true : undefined);

export const oneOf =
  <Value extends string>(values: readonly Value[]): Reader<Value> =>
  (value) =>
    values.find((one) => one === value);

type Read<Readers> = { [Name in keyof Readers]?: Readers[Name] extends Reader<infer Value> ? Value : never };

/** A route's `validateSearch`: `searchOf({ app: text, outcome: oneOf(outcomes) })`. */
export function searchOf<Readers extends Record<string, Reader<unknown>>>(readers: Readers) {
  return (search: Record<string, unknown>): Read<Readers> => {
    const read = Object.entries(readers).map(([name, reader]) => [name, reader(search[name])] as const);
    // The router merges this into what the URL says: only an explicit undefined takes a wrong value out of it.
    return Object.fromEntries(read.filter(([name, value]) => value !== undefined || name in search)) as Read<Readers>;
  };
}

/** The values of `outcome` in the URL that the browser returns to from a provider. */
export const connectOutcomes = ['connected', 'other_account', 'failed'] as const;
