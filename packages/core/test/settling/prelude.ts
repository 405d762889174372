/** What the script of every row finds declared. It says in words what rows do most. */
export const PRELUDE = `
  var pulses = 0;
  const element = (id) => document.getElementById(id);
  const show = (text = 'done') => {
    const line = document.createElement('p');
    line.textContent = text;
    element('out').append(line);
  };
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const onGo = (act) => element('go').addEventListener('click', act);
  const fetched = async (address, options) => (await fetch(address, options)).text();
`;
