/** The platform's call itself is malformed: answered with 400 and this message, which must name no value. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
}
