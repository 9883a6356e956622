import { hopLimit } from './refusal.js';

/** For people: what ended the exchange, and what to do. @param reason of an outcome `loop_paused` */
export function loopAdvice(reason: string | null): string {
  return reason === hopLimit
    ? 'Apps of this installation answer each other: this message came by as many deliveries in a row as LOOP_MAX_HOPS allows. ' +
        'Change the reply_address of one of their channels; release the message if it is to be answered all the same.'
    : 'Messages and replies follow each other as between machines. When a person writes, resume the contact, ' +
        'and release what was kept.';
}
