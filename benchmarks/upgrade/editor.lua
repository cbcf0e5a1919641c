-- Takes every quick fix of $FILE from the language server $SERVER, as a user does: by the menu of code actions.
vim.o.swapfile = false
vim.lsp.config("jaxfix", {
  cmd = vim.split(os.getenv("SERVER"), " "),
  filetypes = { "python" },
  root_markers = { "pyproject.toml" },
  init_options = { all = true, select = { "removed-api", "legacy-parallelism" } },
})
vim.lsp.enable("jaxfix")
vim.cmd.edit(os.getenv("FILE"))
local buffer = vim.api.nvim_get_current_buf()

local function shown(least)
  vim.wait(20000, function() return #vim.diagnostic.get(buffer) > least end, 50)
  return vim.diagnostic.get(buffer)
end

local function is_fix(action)
  return not action.title:find("^Ignore") and not action.title:find("^Explain") and not action.title:find("^Prove")
end

vim.ui.select = function(items, _, chosen)
  for index, item in ipairs(items) do
    if is_fix(item.action) then return chosen(item, index) end
  end
  chosen(nil)
end

local taken, is_left = 0, true
shown(0)
while is_left do
  is_left = false
  for _, each in ipairs(shown(0)) do
    local tick, text = vim.api.nvim_buf_get_changedtick(buffer), each.message
    if not text:find("not fixed by jaxfix", 1, true) then
      vim.api.nvim_win_set_cursor(0, { each.lnum + 1, each.col })
      vim.lsp.buf.code_action({ context = { only = { "quickfix" }, diagnostics = { each.user_data.lsp } } })
      if vim.wait(20000, function() return vim.api.nvim_buf_get_changedtick(buffer) ~= tick end, 20) then
        taken, is_left = taken + 1, true
        vim.wait(1500, function() return false end, 50)
        break
      end
    end
  end
end
vim.cmd.write()
io.stdout:write(string.format("%d taken, %d left\n", taken, #vim.diagnostic.get(buffer)))
vim.cmd("qall!")
