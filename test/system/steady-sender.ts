import { setTimeout as pause } from 'node:timers/promises';
import type { WebhookAnswer } from './webhook.js';

/** Sends numbered webhooks at a steady rate. One whose connection is cut is sent again, as a provider does. */
export interface SteadySender {
  /** Ids of the events of acknowledged webhooks. */
  acknowledged: string[];
  /** Answers that were not 200. */
  refused: { number: number; status: number; body: object }[];
  /** What is refused from now on is not sent again. */
  giveUp(): void;
  /** Resolves once each that was sent is answered. */
  stop(): Promise<void>;
}

export function steadySender(perSecond: number, send: (number: number) => Promise<WebhookAnswer>): SteadySender {
  const sender = { acknowledged: [] as string[], refused: [] as SteadySender['refused'] };
  const sent: Promise<void>[] = [];
  let running = true;
  let patient = true;
  const deliver = async (number: number): Promise<void> => {
    for (;;) {
      const answer = await send(number).catch(() => null);
      if (answer?.status === 200) return void sender.acknowledged.push(answer.id);
      if (answer) {
        sender.refused.push({ number, status: answer.status, body: answer.body });
        if (!patient) return;
      }
      await pause(200);
    }
  };
  const sending = (async () => {
    while (running) {
      sent.push(deliver(sent.length));
      await pause(1_000 / perSecond);
    }
  })();
  return {
    ...sender,
    giveUp: () => {
      patient = false;
    },
    stop: async () => {
      running = false;
      await sending;
      await Promise.all(sent);
    },
  };
}
