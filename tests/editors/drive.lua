-- Neovim, headless, with its configuration read: opens a file, waits for its finding, takes the action, saves.
local file, want, kind = assert(os.getenv("TARGET")), assert(os.getenv("WANT")), assert(os.getenv("KIND"))

local function wait(what, check)
  if not vim.wait(60000, check, 20) then
    error(what)
  end
end

local function act(found)
  if kind == "quickfix" then
    vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
    vim.lsp.buf.code_action({
      apply = true,
      context = { only = { kind }, diagnostics = { found.user_data.lsp } },
      filter = function(action)
        return action.isPreferred
      end,
    })
  else
    vim.lsp.buf.code_action({ context = { only = { kind } }, apply = true })
  end
end

vim.o.swapfile = false
vim.cmd.edit(vim.fn.fnameescape(file))
local buffer = vim.api.nvim_get_current_buf()
wait("no server", function()
  return #vim.lsp.get_clients({ bufnr = buffer, name = "jaxfix" }) > 0
end)
wait("no diagnostics", function()
  return #vim.diagnostic.get(buffer) > 0
end)
local found = vim.diagnostic.get(buffer)[1]
print(string.format("%d:%d %s", found.lnum + 1, found.col + 1, found.code))
act(found)
wait("nothing was fixed", function()
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"):find(want, 1, true) ~= nil
end)
vim.cmd.write()
wait("the finding stays", function()
  return #vim.diagnostic.get(buffer) == 0
end)
print("fixed and saved")
vim.cmd("qall!")
