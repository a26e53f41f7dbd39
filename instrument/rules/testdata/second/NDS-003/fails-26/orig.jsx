import { save } from './save.js';

export function Button({ id }) {
  const click = async () => {
    await save(id);
    return id;
  };
  return <button onClick={click}>Save {id}</button>;
}
