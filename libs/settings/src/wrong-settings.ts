/** Settings with which a process does not start. Its sentences are for whoever starts it, so no stack belongs to it. */
export class WrongSettings extends Error {
  override readonly name = 'WrongSettings';

  /** @param problems a sentence for each setting that is wrong, without its value if it is secret */
  constructor(
    readonly problems: string[],
    options?: ErrorOptions,
  ) {
    super(`Settings are wrong:\n  ${problems.join('\n  ')}`, options);
  }
}
