import { Alert, Button, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { ApiProblem } from '../../api/problem.js';
import { sessionQuery, signInByLink, signInMethodsQuery } from '../../api/session.js';
import type { Schema } from '../../api/client.js';
import { signInTexts } from '../../texts/sign-in.js';
import { ProblemAlert } from '../../ui/notices.js';
import classes from './sign-in-page.module.css';

const route = getRouteApi('/sign-in');

export function SignInPage(): ReactNode {
  useDocumentTitle(signInTexts.title);
  const { error, return_to } = route.useSearch();
  const returnTo = localPath(return_to);
  const link = useLinkToken(returnTo);
  const methods = useQuery(signInMethodsQuery);
  const refused = link.error instanceof ApiProblem && link.error.status === 401 ? link.error.code : error;
  return (
    <main className={classes.page}>
      <Paper p="xl" w="100%" maw={400} radius="lg">
        <Stack gap="md">
          <img src="/icon.svg" alt="" width={40} height={40} />
          <Title order={1}>{signInTexts.title}</Title>
          {refused && (
            <Alert color="red" variant="light" role="alert">
              {signInTexts.error(refused)}
            </Alert>
          )}
          {link.error && !refused && <ProblemAlert error={link.error} />}
          {link.isPending ? <Waiting text={signInTexts.working} /> : <Methods methods={methods} returnTo={returnTo} />}
        </Stack>
      </Paper>
    </main>
  );
}

interface MethodsProps {
  methods: UseQueryResult<Schema<'SignInMethods'>>;
  returnTo: string;
}

function Methods({ methods, returnTo }: MethodsProps): ReactNode {
  if (methods.isPending) return <Waiting text={signInTexts.loading} />;
  if (methods.error) return <ProblemAlert error={methods.error} onRetry={() => void methods.refetch()} />;
  const { oidc, link } = methods.data;
  return (
    <>
      {oidc.map(({ id, name }) => (
        <Button
          key={id}
          component="a"
          href={`/api/v1/sign-in/oidc/${encodeURIComponent(id)}/start?return_to=${encodeURIComponent(returnTo)}`}
          size="md"
        >
          {signInTexts.with(name)}
        </Button>
      ))}
      {link && (
        <div>
          <Text>{signInTexts.byLink}</Text>
          <Text c="dimmed" size="sm" mt={4}>
            {signInTexts.whereLink}
          </Text>
        </div>
      )}
    </>
  );
}

function Waiting({ text }: { text: string }): ReactNode {
  return (
    <Text c="dimmed" role="status">
      <Loader size={14} mr={8} aria-hidden /> {text}
    </Text>
  );
}

/** Where to go after signing in: a path of this console, never another site. */
function localPath(path: string | undefined): string {
  const url = path?.startsWith('/') ? URL.parse(path, window.location.origin) : null;
  if (!url) return '/';
  // `/.//host` is a path here, and another host when it is read again.
  const isPath = url.origin === window.location.origin && !/^(\/\/|\/api(\/|$))/i.test(url.pathname);
  return isPath ? `${url.pathname}${url.search}` : '/';
}

/**
 * Signs in with the token after the `#`. It is removed from the address at once, because it works once and is secret.
 */
function useLinkToken(returnTo: string): { isPending: boolean; error: Error | null } {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const used = useRef<string>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: signInByLink,
    onSuccess: async () => {
      await queryClient.resetQueries(sessionQuery);
      await navigate({ href: returnTo, replace: true });
    },
  });
  useEffect(() => {
    const take = (): void => {
      const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
      if (!token || used.current === token) return;
      used.current = token;
      window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
      mutate(token);
    };
    take();
    // Opening a link while this page is open does not reload it: the browser only changes the hash.
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return { isPending, error };
}
