// What there is to say above the fixes: errors, files that changed, a server that is gone.
import type { Document, State } from "./types";
import { Words } from "./words";

export function Notices({ doc, state, error, isLost, onLook, onClose }: { doc: Document; state: State; error: string; isLost: boolean; onLook: () => void; onClose: () => void }) {
  const sentences = [...(state.problem ? [state.problem] : []), ...doc.errors];
  return (
    <div class="notices">
      {isLost ? (
        <p role="alert" class="bad">
          jaxfix does not answer: decisions made now are lost. Start <code>jaxfix review</code> again and open its link.
        </p>
      ) : null}
      {error ? (
        <p role="alert" class="bad">
          <span>
            <Words text={error} />
          </span>
          <button type="button" class="quiet" aria-label="dismiss" onClick={onClose}>
            ✕
          </button>
        </p>
      ) : null}
      {state.changed.length ? (
        <p role="alert">
          <span>
            {state.changed.slice(0, 3).map((path, index) => (
              <>
                {index ? ", " : ""}
                <span class="mono">{path}</span>
              </>
            ))}
            {state.changed.length > 3 ? ` and ${state.changed.length - 3} more` : ""} changed on disk since jaxfix read {state.changed.length === 1 ? "it" : "them"}: jaxfix will not overwrite {state.changed.length === 1 ? "it" : "them"}.
          </span>
          <button type="button" onClick={onLook}>
            Look again
          </button>
        </p>
      ) : null}
      {sentences.map((text) => (
        <p class="soft">
          <Words text={text} />
        </p>
      ))}
    </div>
  );
}
