import { Alert } from '@mantine/core';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useScope } from '../api/session.js';
import { uiTexts } from '../texts/ui.js';
import classes from './editable.module.css';

/** Fields for those who may change them. Others can read them and see why they are disabled. */
export function Editable({ scope, children }: { scope: string; children: ReactNode }): ReactNode {
  const may = useScope(scope);
  return (
    <>
      {!may && (
        <Alert variant="light" color="gray" mb="md" icon={<Lock size={16} aria-hidden />} role="note">
          {uiTexts.readOnly(scope)}
        </Alert>
      )}
      <fieldset className={classes.fields} disabled={!may}>
        {children}
      </fieldset>
    </>
  );
}

/** Why a button of this scope cannot be pressed; null: it can. */
export function useReason(scope: string): string | null {
  return useScope(scope) ? null : uiTexts.lacksScope(scope);
}
