program "b"
end
