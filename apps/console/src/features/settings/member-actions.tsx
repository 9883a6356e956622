import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProblemAlert } from '../../ui/notices.js';
import { SecretOnce } from '../../ui/secret-once.js';

const texts = settingsTexts.members;

/** New link, suspend and remove. Each takes effect within 100 ms. */
export function MemberActions({ member }: { member: Schema<'MemberView'> }): ReactNode {
  const path = { id: member.id };
  const reason = useReason('members:manage');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const [link, setLink] = useState<string | null>(null);
  const suspended = member.state === 'suspended';
  const makeLink = useChange(
    () => answer(api.POST('/api/v1/members/{id}/sign-in-link', { params: { path } })),
    'members',
  );
  const suspend = useChange(
    () => answer(api.PATCH('/api/v1/members/{id}', { params: { path }, body: { suspended: !suspended } })),
    'members',
    'member-sessions',
  );
  const remove = useChange(() => answer(api.DELETE('/api/v1/members/{id}', { params: { path } })), 'principals');
  const queryClient = useQueryClient();
  const leave = async (): Promise<void> => {
    await navigate({ to: '/p/$projectId/settings/$section', params: { projectId, section: 'members' } });
    // Only there: this page would ask for a member who is gone.
    await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['members']) });
  };
  return (
    <>
      <ActionButton
        variant="default"
        reason={reason ?? (suspended ? texts.linkSuspended : null)}
        loading={makeLink.isPending}
        onClick={() => makeLink.mutate(undefined, { onSuccess: ({ sign_in_link }) => setLink(sign_in_link) })}
      >
        {texts.newLink}
      </ActionButton>
      {suspended ? (
        <ActionButton variant="default" reason={reason} loading={suspend.isPending} onClick={() => suspend.mutate()}>
          {texts.unsuspend}
        </ActionButton>
      ) : (
        <ConfirmAction
          reason={reason}
          loading={suspend.isPending}
          question={texts.suspendQuestion(member.name)}
          onConfirm={() => suspend.mutate()}
        >
          {texts.suspend}
        </ConfirmAction>
      )}
      <ConfirmAction
        reason={reason}
        loading={remove.isPending}
        question={texts.removeQuestion(member.name)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void leave() })}
      >
        {texts.remove}
      </ConfirmAction>
      <SecretOnce title={texts.linkTitle} label={texts.link} secret={link} onDone={() => setLink(null)} />
      <ProblemAlert error={makeLink.error ?? suspend.error ?? remove.error} />
    </>
  );
}
