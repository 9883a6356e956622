import { lazy, type ReactNode } from 'react';
import { OnceOpened } from './later.js';

const SecretWindow = lazy(() => import('./secret-window.js'));

export interface SecretOnceProps {
  title: string;
  label: string;
  /** Null: there is none to show. */
  secret: string | null;
  onDone: () => void;
}

/** Shows a secret that was just created, until the reader confirms that it is saved. */
export function SecretOnce(props: SecretOnceProps): ReactNode {
  return (
    <OnceOpened opened={props.secret !== null}>
      <SecretWindow {...props} />
    </OnceOpened>
  );
}
