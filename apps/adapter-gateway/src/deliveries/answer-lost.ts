export const answerLostCode = 'answer_lost';

/** The provider may have the message, and the adapter cannot tell yet: it is asked again before anything is sent. */
export class AnswerLost extends Error {
  override readonly name = 'AnswerLost';
  readonly code = answerLostCode;

  constructor(cause: unknown) {
    super(`not known whether it arrived: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
