import { setTimeout as pause } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Call, Command } from '../call/command.js';
import type { Move } from './move-report.js';
import { absent, everyMs, pathOf, patienceMs, requirePeer, scopes, sides, to } from './move-sides.js';

export const moveEnd: Command = {
  name: 'move end',
  arguments: '<project>',
  summary: 'Ends the handing on of webhooks of a project that has moved: from now on they answer 410 here',
  options: { to },
  scopes,
  notes: [
    '`gatehouse move status` says when the last webhook came here. While the other installation takes none, it is refused.',
    'It waits, ten seconds or more, until every process refuses them and what was taken before is handed on. Killed, start it again.',
    'The key with which this installation handed them on is forgotten at the other one.',
  ],
  examples: ['GATEHOUSE_TARGET_API_KEY=gh_... gatehouse move end prj_... --to https://cell-2.example'],
  run: async (call) => {
    const [source, there, id] = sides(call, 'gatehouse move end');
    requirePeer(await source.get<Move>(pathOf(id)), source, there, 'gatehouse move end');
    const ended = await untilEnded(call, source, id);
    // Not before: what was taken here could not be handed on any more.
    await there.delete(`${pathOf(id)}/peer`).catch(absent);
    call.print(ended);
    call.say(`Webhooks of ${id} are answered 410 here.`);
    return exits.done;
  },
};

/** @throws CliError after ten minutes: then it is not ended, and nothing is lost */
async function untilEnded(call: Call, source: Api, id: string): Promise<Move> {
  for (let reported = -1, until = Date.now() + patienceMs; ; await pause(everyMs)) {
    const found = await source.post<Move>(`${pathOf(id)}/end`);
    if (found.handing_on?.ended_at) return found;
    const waiting = found.handing_on?.waiting ?? 0;
    if (waiting !== reported) {
      call.note(`They are refused. Waits until every process does that, and for ${waiting} that were taken before.`);
    }
    reported = waiting;
    if (Date.now() < until) continue;
    const is = `Webhooks of ${id} are refused, but ${waiting} that were taken before are not handed on`;
    const toDo = 'See what needs attention here: a spool, or the other installation. Then end it again.';
    throw new CliError(
      exits.unwell,
      `${is}, or are still on the disk of an ingress.`,
      'gatehouse move end',
      toDo,
      'not_ended',
    );
  }
}
